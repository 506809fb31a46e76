/** Every text of the dashboard. Those that the specification quotes keep its spelling. */
export const dashboardTexts = {
  player: 'Reproductor',
  play: 'Reproducir audio',
  pause: 'Pausar audio',
  needsToken: 'Debes generar un Token',
  playing: 'Audio en reproducción',
  paused: 'Audio en pausa',
  connecting: 'Conectando…',
  reconnecting: 'Reconectando…',
  token: 'Token',
  expired: 'Token expirado, Debes crear uno nuevo Token',
  copy: 'Copiar URL',
  copied: 'URL copiada',
  notCopied: 'No se pudo copiar la URL',
  create: 'Crear Token',
  creating: 'Creando Token…',
  timeLeft: 'Tiempo restante',
  notesHeading: 'Información',
  notes: [
    'Un token dura 20 minutos.',
    'Un token en reproducción no tiene caducidad.',
    'Los tokens son exclusivos por canal de comunicación.',
  ],
  signOut: 'Cerrar Sesión',

  playerNotices: {
    blocked: 'El navegador impidió reproducir el audio. Pulsa el botón otra vez.',
    lost: 'Se perdió el audio y el Token ya expiró. Crea uno nuevo.',
    retrying: 'Se perdió la conexión con el audio. Reintentando…',
    struggling: 'Seguimos intentando. Si continúa así, crea un nuevo Token.',
  },
};
