/** Wraps each text in a `<font>`, as Chrome's translator does. Must not use anything outside: it also runs in a page. */
export function wrapTexts(root: HTMLElement): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.parentElement?.closest('font, textarea, option')) continue;
    const font = document.createElement('font');
    text.replaceWith(font);
    font.append(text);
  }
}
