import { createServer } from 'node:http';
import { listen } from './listen.ts';

const TOKEN = Buffer.from(
  'server_time=7/4/2025 3:05:09 PM&hash_value=HtkypZeHXdar1H/XfxK/FA==&validminutes=20&id=1005',
);
const PAGE = `<!doctype html><html lang="es"><body><h1>Audio</h1>
<p><a href="https://stream.example/mp3/icecast.audio?wmsAuthSign=${TOKEN.toString('base64')}">Escuchar</a></p></body></html>`;
const HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(PAGE) };

const delayMs = Number(process.env.PROVIDER_MS ?? 0);

listen(
  createServer((_request, response) => {
    const answer = () => response.writeHead(200, HEADERS).end(PAGE);
    if (delayMs === 0) answer();
    else setTimeout(answer, delayMs);
  }),
);
