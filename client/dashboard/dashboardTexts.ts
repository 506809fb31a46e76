import { TOKEN_LIFETIME_MINUTES } from '../../shared/tokenLifetime.ts';
import { texts } from '../texts.ts';

const TIME_LEFT = 'Tiempo restante';
const EXPIRED = 'Expirado';

/** The texts of the dashboard. Those that the specification quotes keep its spelling. */
export const dashboardTexts = {
  player: 'Reproductor',
  play: 'Reproducir audio',
  pause: 'Pausar audio',
  needsToken: 'Debes generar un Token',
  playing: 'Audio en reproducción',
  paused: 'Audio en pausa',
  connecting: 'Conectando…',
  buffering: 'Cargando audio…',
  dry: 'No llega más audio',
  reconnecting: 'Sin audio. Reconectando…',
  refused: 'Audio rechazado',
  volume: 'Volumen',
  mute: 'Silenciar',
  unmute: 'Activar sonido',
  token: 'Token',
  expired: 'Token expirado, Debes crear uno nuevo Token',
  copy: 'Copiar URL',
  copied: (deadline: string) => `Copiada · conéctate antes de las ${deadline}`,
  copiedLate: (deadline: string) => `Copiada · últimos minutos: conéctate antes de las ${deadline}`,
  copiedRefused: 'Copiada, pero el proveedor rechaza este Token.',
  notCopied: 'No se pudo copiar la URL. Cópiala desde aquí.',
  copyWaits: 'Se podrá copiar en cuanto responda el servidor.',
  url: 'URL de la emisión',
  noUrl: 'Sin URL',
  earlier: {
    label: (time: string) => `URL anterior, hasta las ${time}`,
    copy: 'Copiar',
    copyName: (time: string) => `Copiar la anterior, hasta las ${time}`,
    more: (count: number) => `Otras URL anteriores (${count})`,
  },
  create: 'Crear Token',
  creating: 'Creando Token…',
  tooMany: 'Demasiados Tokens seguidos.',
  createPauses: 'Crear otro Token pausa el audio.',
  created: (time: string) => `Token creado a las ${time}`,
  expiry: 'Caducidad del Token',
  timeLeft: TIME_LEFT,
  deadline: (time: string) => `Conéctate antes de las ${time}`,
  tones: {
    none: 'Sin Token',
    calm: TIME_LEFT,
    last: 'Últimos minutos',
    refused: 'Token rechazado',
    expired: EXPIRED,
    old: EXPIRED,
    outlived: EXPIRED,
  },
  announced: {
    made: 'Token creado.',
    left: (minutes: string) => `${TIME_LEFT}: ${minutes}.`,
    expired: 'El Token expiró.',
  },
  notesHeading: 'Información',
  notes: [
    `Un token dura ${TOKEN_LIFETIME_MINUTES} minutos.`,
    'Un token en reproducción no tiene caducidad.',
    'Los tokens son exclusivos por canal de comunicación.',
  ],
  signOut: 'Cerrar Sesión',

  silent: 'Sin audio',
  behind: (seconds: number) => `${durationText(seconds)} por detrás del directo`,
  dropout: (seconds: number, time: string) => `Se cortó ${durationText(seconds)} a las ${time}`,
  muted: 'Está silenciado: no oirás nada',
  mutedTab: 'Silenciado',
  playerNotices: {
    blocked: 'El navegador impidió el audio. Pulsa el botón otra vez.',
    lost: 'Se perdió el audio y el Token ya expiró.',
    lostPlayable: 'Se perdió el audio. Pulsa el botón otra vez.',
    dry: 'Acabará en unos segundos: crea otro Token.',
    silent: 'La emisión llega en silencio.',
    otherTab: 'El audio suena en otra pestaña.',
    refused: 'Quizá el Token expiró o está en uso. Crea uno nuevo.',
    likelyRefused: 'El proveedor no acepta la conexión.',
    offline: 'Sin conexión a la red. El audio volverá con ella.',
    offlineSounding: 'Sin conexión a la red: el audio puede cortarse.',
    offlineAtRest: 'Sin conexión a la red.',
    serverSilent: 'El servidor no responde. Reintentando…',
    noOutput: 'Este equipo no da sonido. Revisa la salida de audio.',
    outlives: 'El audio continúa: la conexión abierta no caduca.',
    struggling: 'Si continúa así, crea un nuevo Token.',
  },

  takeAway: {
    heading: 'Usar en tu software de emisión',
    ownAddress: 'Si tu equipo se reconecta solo, pide a la emisora una dirección propia para él.',
    titleUntil: (time: string) => `${texts.title} (conectar antes de las ${time})`,
    m3u: 'Descargar M3U',
    m3uUse: 'Abrir en tu software',
    obs: 'Usar en OBS',
    obsUse: 'Añade una «Fuente multimedia», desmarca «Archivo local» y pega la URL en «Entrada».',
    liquidsoap: 'Emitir con Liquidsoap',
    shell: 'Tu sistema',
    shells: { bash: 'Linux o macOS', powershell: 'Windows PowerShell', cmd: 'Windows, símbolo del sistema' },
    programs: { vlc: 'Escuchar con VLC', ffmpeg: 'Grabar con ffmpeg' },
    copy: 'Copiar',
    copied: 'Copiado',
    notCopied: 'No se pudo: cópialo del campo.',
    noCommand: 'Esta URL no se puede usar en un comando. Usa Copiar URL.',
  },

  history: {
    heading: 'Tokens de hoy',
    none: 'Hoy no se ha pedido ningún Token.',
    more: 'Ver más',
    retry: 'Volver a intentarlo',
    outcomes: {
      ISSUED: 'Creado',
      PROVIDER_UNAVAILABLE: 'Falló: el proveedor no respondió',
      PROVIDER_BAD_ANSWER: 'Falló: el proveedor no entregó un Token',
    },
    clients: { BROWSER: 'Navegador', TOOL: 'Herramienta' },
    unknownAddress: 'IP desconocida',
  },
};

function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
