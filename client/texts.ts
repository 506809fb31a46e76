import { CREDENTIAL_MAX_LENGTH, INVALID_CREDENTIALS_MESSAGE } from '../shared/credentialRules.ts';

/**
 * The texts of the interface. Others are in `dashboard/dashboardTexts.ts`, in `index.html` (shown before any script
 * runs) and in `shared/` (also sent by the server). Those that the specification quotes keep its spelling, missing
 * accents included.
 */
export const texts = {
  title: 'Audio Oficial Premium',
  version: 'v1.1',
  copyright: '© 2023 Audio Oficial Premium',
  loading: 'Cargando…',
  slow: 'La página no termina de cargar. Revisa tu conexión, o usa un navegador más reciente, y',
  retry: 'vuelve a intentarlo',
  noScript: 'Esta página necesita JavaScript. Actívalo en tu navegador y vuelve a cargarla.',

  login: {
    username: 'Correo electrónico',
    password: 'Contraseña',
    required: 'Obligatorio',
    showPassword: 'Mostrar contraseña',
    hidePassword: 'Ocultar contraseña',
    tooLong: (excess: string) => `Solo caben ${CREDENTIAL_MAX_LENGTH} caracteres: sobra «${excess}».`,
    tooLongBy: (count: number) =>
      `Solo caben ${CREDENTIAL_MAX_LENGTH} caracteres: ${count === 1 ? 'sobra 1' : `sobran ${count}`}.`,
    submit: 'iniciar sesión',
    submitting: 'Iniciando sesión…',
  },

  failures: {
    INVALID_CREDENTIALS: INVALID_CREDENTIALS_MESSAGE,
    BAD_USER_INPUT: 'Revisa el correo y la contraseña.',
    UNAUTHENTICATED: 'Tu sesión terminó. Inicia sesión de nuevo.',
    OTHER_ACCOUNT: 'En este navegador inició sesión otra cuenta. Inicia sesión de nuevo.',
    COOKIES_BLOCKED: 'Tu navegador bloquea las cookies. Permítelas en este sitio e inicia sesión de nuevo.',
    COOKIES_DELETED:
      'Tu navegador o una extensión borró la cookie de la sesión. ' +
      'Consérvala en este sitio e inicia sesión de nuevo.',
    SIGNED_OUT_ELSEWHERE: 'La sesión se cerró en otra pestaña.',
    PROVIDER_UNAVAILABLE: 'El proveedor de audio no responde. Inténtalo de nuevo.',
    PROVIDER_BAD_ANSWER: 'El proveedor de audio no entregó un Token. Inténtalo de nuevo.',
    DATABASE_UNAVAILABLE: 'Servicio no disponible. Inténtalo de nuevo en unos segundos.',
    NO_ANSWER: 'El servidor no responde. Inténtalo de nuevo.',
    NO_NETWORK: 'No hay conexión a la red. Inténtalo cuando vuelva.',
    NEW_VERSION: 'Vuelve a cargar la página e inténtalo de nuevo.',
    OTHER_PAGE:
      'Otra página contestó por el servidor. Volver a cargar, aquí o en otra pestaña, puede ayudar.',
    TOO_MANY_COOKIES:
      'Tu navegador envía demasiadas cookies. ' +
      'Borra las de este sitio y las del dominio superior, e inténtalo de nuevo.',
    TOO_LARGE: 'Un servidor intermedio rechaza la petición por su tamaño. Avisa a quien lleva tu red.',
    BUSY: 'El servidor no puede atenderte ahora.',
    UNKNOWN: 'No se pudo completar la operación. Inténtalo de nuevo.',
  },
  soundCut: 'El audio terminó.',
  tooManyAttempts: 'Demasiados intentos.',
  retryNow: 'Ya puedes intentarlo de nuevo.',
  retryIn: (wait: string) => `Inténtalo en ${wait}.`,
  someMinutes: 'unos minutos',
  minutes: (count: number) => (count === 1 ? '1 minuto' : `${count} minutos`),
  seconds: (count: number) => (count === 1 ? '1 segundo' : `${count} segundos`),

  newVersion: 'Hay una versión nueva de esta página.',
  reload: 'Volver a cargar',

  noticeSince: { today: 'Aviso desde las', earlier: 'Aviso desde el' },

  notFound: {
    heading: 'Página no encontrada',
    explanation: 'La dirección no existe o cambió de lugar.',
    back: 'Volver al inicio',
  },

  crash: {
    heading: 'Algo salió mal',
    explanation: 'La página tuvo un problema inesperado. Vuelve a cargarla para continuar.',
  },
};
