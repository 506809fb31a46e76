import { escapeAttribute } from 'entities';

export function demoPage(streamUrl: string, validMinutes: number): string {
  return `<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>Audio seguro · Proveedor de demostración</title>
<style>
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1c2733; background: #f3f5f7; }
main { max-width: 34rem; margin: 4rem auto; padding: 2rem; background: #fff; border-radius: 8px; }
small { color: #5a6875; }
</style>
</head>
<body>
<main>
<p>Proveedor de demostración</p>
<h1>Emisión segura</h1>
<p>Su acceso está listo. El enlace admite conexiones nuevas durante ${validMinutes} minutos; una conexión ya abierta no se interrumpe.</p>
<ul>
<li><a class="audio" type="audio/mpeg" href="${escapeAttribute(streamUrl)}">Escuchar Audio Oficial Premium</a></li>
<li><a href="">Renovar el enlace</a></li>
</ul>
<small>Enlace personal e intransferible. Señal de prueba, sin valor comercial.</small>
</main>
</body>
</html>
`;
}
