/** Runs `act`; logs an error and returns false. Browser APIs throw where an extension replaced them or a device is gone. */
export function runSafely(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    console.warn(error);
    return false;
  }
}
