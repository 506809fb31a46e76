/** Old laptops, phones upright and on their side, and a window of 1280 by 800 at 200 %, in the page's pixels. */
export const LOW_SCREENS = [
  { width: 1024, height: 768 },
  { width: 800, height: 600 },
  { width: 360, height: 640 },
  { width: 320, height: 568 },
  { width: 740, height: 360 },
  { width: 640, height: 400 },
];

/** Phones of today, upright. */
export const PHONES = [
  { width: 390, height: 844 },
  { width: 412, height: 915 },
  { width: 360, height: 740 },
];
