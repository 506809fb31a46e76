import { TOKEN_LIFETIME_MINUTES } from '../../shared/tokenLifetime.ts';
import { texts } from '../texts.ts';

const TIME_LEFT = 'Tiempo restante';
const EXPIRED = 'Expirado';
const NO_SOUND = 'Sin audio';
const NO_OUTPUT = 'Este equipo no da sonido.';
const ENDED = 'Tu sesión terminó.';
const CUT = `${ENDED} ${texts.soundCut}`;

export const dashboardTexts = {
  wholeName: 'Nombre completo',
  player: 'Reproductor',
  play: 'Reproducir audio',
  pause: 'Pausar audio',
  playerStatus: {
    needsToken: 'Debes generar un Token',
    playing: 'Audio en reproducción',
    paused: 'Audio en pausa',
    connecting: 'Conectando…',
    dry: 'No llega más audio',
    silent: NO_SOUND,
    starving: 'Sin audio. Esperando datos…',
    reconnecting: 'Sin audio. Reconectando…',
    refused: 'Audio rechazado',
    muted: 'Está silenciado: no oirás nada',
  },
  retryNow: 'Intentar ahora',
  alarmButtons: { stopWaiting: 'Dejar de esperar', dismiss: 'Entendido' },
  autoCreate: 'Si se corta el audio, crear otro Token',
  sessionEnded: { playing: `${ENDED} El audio continúa.`, missing: ENDED },
  signIn: 'Iniciar sesión en otra pestaña',
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
  copyWaits: {
    serverUnreachable: 'Se podrá copiar en cuanto responda el servidor.',
    serverFails: 'Se podrá copiar en cuanto el servidor pueda atenderte.',
    otherPage: texts.failures.OTHER_PAGE,
    tooManyCookies: texts.failures.TOO_MANY_COOKIES,
    tooLarge: texts.failures.TOO_LARGE,
  },
  url: 'URL de la emisión',
  noUrl: 'Sin URL',
  earlier: {
    heading: (count: number) => (count === 1 ? 'URL anterior' : `URL anteriores (${count})`),
    label: (place: number, time: string) => `URL anterior ${place}, hasta las ${time}`,
    copy: 'Copiar',
    copyName: (place: number, time: string) => `Copiar la anterior ${place}, hasta las ${time}`,
  },
  create: 'Crear Token',
  creating: 'Creando Token…',
  tooMany: 'Demasiados Tokens seguidos.',
  createPauses: 'Crear otro Token pausa el audio.',
  created: (time: string) => `Token creado a las ${time}`,
  expiry: 'Caducidad del Token',
  timeLeft: TIME_LEFT,
  deadline: (time: string) => `Conéctate antes de las ${time}`,
  urgencies: {
    none: 'Sin Token',
    calm: TIME_LEFT,
    last: 'Últimos minutos',
    refused: 'Token rechazado',
    expired: EXPIRED,
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

  missingTab: NO_SOUND,
  missingSince: (time: string) => `Sin audio desde las ${time}`,
  behind: (seconds: number) => `${durationText(seconds)} por detrás del directo`,
  dropout: (seconds: number, time: string) => `Se cortó ${durationText(seconds)} a las ${time}`,
  mutedTab: 'Silenciado',
  playerHints: {
    blocked: 'El navegador impidió el audio.',
    pausedOutside: 'Otro programa o el sistema pausó el audio.',
    reloaded: 'El audio se detuvo al cargar la página de nuevo.',
    UNAUTHENTICATED: CUT,
    COOKIES_BLOCKED: CUT,
    COOKIES_DELETED: CUT,
    SIGNED_OUT_ELSEWHERE: `${texts.failures.SIGNED_OUT_ELSEWHERE} ${texts.soundCut}`,
    OTHER_ACCOUNT: `En este navegador inició sesión otra cuenta. ${texts.soundCut}`,
    lost: 'Se perdió el audio.',
    creating: 'Creando otro Token…',
    dry: 'Acabará en unos segundos.',
    starving: 'El Token ya expiró.',
    silent: 'La emisión llega en silencio.',
    otherTab: 'El audio suena en otra pestaña.',
    refused: 'Quizá el Token expiró o está en uso.',
    refusedAgain: 'El proveedor rechazó también este Token. Otro difícilmente ayudará.',
    refusedOnce: 'El proveedor rechazó el Token.',
    unreadable: 'El proveedor responde, pero no con audio que este navegador reproduzca.',
    undecodable: 'Este navegador no puede reproducir la emisión. Prueba con otro, o con un programa.',
    notAudio: 'El proveedor responde, pero no con audio.',
    fault: 'El proveedor responde con un error.',
    none: 'El proveedor no responde.',
    hangs: 'No llega nada. Quizá un antivirus o un proxy retiene la emisión: avisa a quien lleva tu red.',
    notPermitted:
      'El navegador no deja que esta página llegue a la red local. Permítelo en los permisos del sitio.',
    noOutput: `${NO_OUTPUT} Revisa la salida de audio.`,
    /** Beside `Debes generar un Token`: one thing to do at a time. */
    lostOutput: NO_OUTPUT,
    speedForced: 'Otro programa cambia la velocidad del audio. Desactiva esa extensión en esta página.',
    offline: 'Sin conexión a la red. El audio volverá con ella.',
    offlinePlaying: 'Sin conexión a la red: el audio puede cortarse.',
    offlineAtRest: 'Sin conexión a la red.',
    serverUnreachable: 'El servidor no responde. Reintentando…',
    serverFails: 'El servidor no puede atenderte ahora. Reintentando…',
    otherPage: texts.failures.OTHER_PAGE,
    tooManyCookies: texts.failures.TOO_MANY_COOKIES,
    tooLarge: texts.failures.TOO_LARGE,
    outlives: 'El audio continúa: la conexión abierta no caduca.',
  },
  playerAdvice: {
    blocked: 'Pulsa el botón otra vez.',
    reloaded: 'Pulsa reproducir.',
    dry: 'Crea otro Token.',
    starving: 'Crea otro.',
    refused: 'Crea uno nuevo.',
  },

  otherPrograms: {
    heading: 'Usar en tu software de emisión',
    ownAddress: 'Si tu equipo se reconecta solo, pide una dirección propia para él a quien te dio la cuenta.',
    titleUntil: (time: string) => `${texts.title} (conectar antes de las ${time})`,
    m3u: 'Descargar M3U',
    m3uUse: 'Abrir en tu software',
    obs: 'Usar en OBS',
    obsUse: 'Añade una «Fuente multimedia», desmarca «Archivo local» y pega la URL en «Entrada».',
    liquidsoap: 'Emitir con Liquidsoap',
    shell: 'Tu sistema',
    shells: {
      linux: 'Linux',
      macos: 'macOS',
      powershell: 'Windows PowerShell',
      cmd: 'Windows, símbolo del sistema',
    },
    programs: { vlc: 'Escuchar con VLC', ffmpeg: 'Grabar con ffmpeg' },
    copy: 'Copiar',
    copied: 'Copiado',
    notCopied: 'No se pudo: cópialo del campo.',
    noCommand: 'Esta URL no se puede usar en un comando. Usa Copiar URL.',
  },

  playersGuide: 'Guía de programas y equipos (en otra pestaña)',

  retry: 'Volver a intentarlo',

  playerKeys: {
    heading: 'Tus equipos',
    asked: (when: string) => ` · pidió su dirección ${when}`,
    unused: ' · sin usar todavía',
    ends: (when: string) => ` · caduca ${when}`,
    more: (count: number) => `y ${count} más`,
    staysConnected: 'Un equipo que sigue conectado no la vuelve a pedir.',
  },

  history: {
    heading: 'Tokens de hoy',
    none: 'Hoy no se ha pedido ningún Token.',
    more: 'Ver más',
    outcomes: {
      ISSUED: 'Creado',
      PROVIDER_UNAVAILABLE: 'Falló: el proveedor no respondió',
      PROVIDER_BAD_ANSWER: 'Falló: el proveedor no entregó un Token',
    },
    callers: { BROWSER: 'Navegador', TOOL: 'Herramienta', PLAYER: 'Reproductor' },
    unknownAddress: 'IP desconocida',
  },
};

function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
