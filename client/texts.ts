/** Every text of the interface. Those that the specification quotes keep its spelling, missing accents included. */
export const texts = {
  title: 'Audio Oficial Premium',
  version: 'v1.1',
  copyright: '© 2023 Audio Oficial Premium',
  loading: 'Cargando…',

  login: {
    username: 'Correo electrónico',
    password: 'Contraseña',
    required: 'Obligatorio',
    submit: 'iniciar sesión',
    submitting: 'Iniciando sesión…',
  },

  dashboard: {
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
  },

  playerNotices: {
    blocked: 'El navegador impidió reproducir el audio. Pulsa el botón otra vez.',
    lost: 'Se perdió el audio y el Token ya expiró. Crea uno nuevo.',
    retrying: 'Se perdió la conexión con el audio. Reintentando…',
    struggling: 'Seguimos intentando. Si continúa así, crea un nuevo Token.',
  },

  failures: {
    INVALID_CREDENTIALS: 'Credenciales invalidas',
    BAD_USER_INPUT: 'Revisa el correo y la contraseña.',
    UNAUTHENTICATED: 'Tu sesión terminó. Inicia sesión de nuevo.',
    PROVIDER_UNAVAILABLE: 'El proveedor de audio no responde. Inténtalo de nuevo.',
    PROVIDER_BAD_ANSWER: 'El proveedor de audio no entregó un Token. Inténtalo de nuevo.',
    DATABASE_UNAVAILABLE: 'Servicio no disponible. Inténtalo de nuevo en unos segundos.',
    NO_ANSWER: 'El servidor no responde. Inténtalo de nuevo.',
    NOT_LOADED: 'La página no terminó de cargar. Vuelve a cargarla.',
    UNKNOWN: 'No se pudo completar la operación. Inténtalo de nuevo.',
  },
  rateLimited: (wait: string) => `Demasiados intentos. Inténtalo de nuevo en ${wait}.`,
  someMinutes: 'unos minutos',
  minutes: (count: number) => (count === 1 ? '1 minuto' : `${count} minutos`),
  seconds: (count: number) => (count === 1 ? '1 segundo' : `${count} segundos`),

  notFound: {
    heading: 'Página no encontrada',
    explanation: 'La dirección no existe o cambió de lugar.',
    back: 'Volver al inicio',
  },

  crash: {
    heading: 'Algo salió mal',
    explanation: 'La página tuvo un problema inesperado. Vuelve a cargarla para continuar.',
    reload: 'Volver a cargar',
  },
};
