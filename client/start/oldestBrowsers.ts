/** The last versions for Windows 7 and 8.1, older Macs and iPhones. Others get a message (index.html). */
export const OLDEST_BROWSERS = { chrome: '109', edge: '109', firefox: '115', safari: '15.6' };
