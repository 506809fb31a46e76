export type Size = { width: number; height: number };

/** Old laptops, phones upright and on their side, and a window of 1280 by 800 at 200 %, in the page's pixels. */
export const LOW_SCREENS = [
  { width: 1024, height: 768 },
  { width: 800, height: 600 },
  { width: 360, height: 640 },
  { width: 320, height: 568 },
  { width: 740, height: 360 },
  { width: 640, height: 400 },
];
export const SMALLEST = { width: 320, height: 568 };
export const TALL_PHONES = [
  { width: 390, height: 844 },
  { width: 412, height: 915 },
];
export const PHONES = [...TALL_PHONES, { width: 360, height: 740 }];
export const LAPTOP = { width: 1366, height: 768 };
export const SMALL_LAPTOP = { width: 1280, height: 593 };
