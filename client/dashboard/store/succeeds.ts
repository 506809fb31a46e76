/** Returns false if it threw: an extension may have changed the browser, or its device is gone. */
export function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    console.warn(error);
    return false;
  }
}
