import type { Page } from 'playwright-core';

/**
 * Returns the controls whose middle or corners give a press to something else, in the middle of the window or at its top.
 * The line that offers a new version may cover them there, and the password's button stands in its field.
 */
export function covered(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const control of document.querySelectorAll('a, button, input, select, textarea, summary')) {
      if (control.matches(':disabled, [inert], [inert] *') || !control.checkVisibility()) continue;
      for (const block of ['center', 'start'] as const) {
        control.scrollIntoView({ block, behavior: 'instant' });
        const taker = pointsOf(control)
          .map(({ x, y }) => document.elementFromPoint(x, y))
          .find((hit) => !control.contains(hit) && !hit?.closest('.new-version, .field__toggle'));
        if (taker)
          found.push(`${control.outerHTML.slice(0, 100)} at ${block}: ${taker.outerHTML.slice(0, 100)}`);
      }
    }
    scrollTo(0, 0);
    return found;

    /** Its middle and its corners, within their rounding; on its first line. */
    function pointsOf(control: Element): DOMPoint[] {
      const [box = new DOMRect()] = control.getClientRects();
      const { borderTopLeftRadius, borderTopRightRadius, borderBottomRightRadius, borderBottomLeftRadius } =
        getComputedStyle(control);
      const inset = (radius: string) => {
        const length = radius.endsWith('%')
          ? (Number.parseFloat(radius) / 100) * box.width
          : Number.parseFloat(radius);
        return 2 + Math.min(length, box.height / 2) * (1 - Math.SQRT1_2);
      };
      const [topLeft, topRight] = [inset(borderTopLeftRadius), inset(borderTopRightRadius)];
      const [bottomRight, bottomLeft] = [inset(borderBottomRightRadius), inset(borderBottomLeftRadius)];
      return [
        new DOMPoint(box.left + box.width / 2, box.top + box.height / 2),
        new DOMPoint(box.left + topLeft, box.top + topLeft),
        new DOMPoint(box.right - topRight, box.top + topRight),
        new DOMPoint(box.right - bottomRight, box.bottom - bottomRight),
        new DOMPoint(box.left + bottomLeft, box.bottom - bottomLeft),
      ];
    }
  });
}

/** Returns the elements that reach beyond the window's sides, or whose text overflows; the URL is cut on purpose. */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *:not(.url__start)')]
      .filter((element) => {
        if (element.closest('.visually-hidden') || getComputedStyle(element).clipPath !== 'none')
          return false;
        const { left, right } = element.getBoundingClientRect();
        const ownText = [...element.childNodes].some(
          (node) => node instanceof Text && node.data.trim() !== '',
        );
        const spilt = ownText && element.clientWidth > 0 && element.scrollWidth > element.clientWidth;
        return left < 0 || right > window.innerWidth || spilt;
      })
      .map((element) => element.outerHTML.slice(0, 100)),
  );
}

/** Returns the texts that lie over another text, or over a control or a frame that they are not in. */
export function overlapping(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: { element: Element; boxes: DOMRect[] }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!element || node.textContent?.trim() === '' || !isSeen(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].map((box) => clipped(box, element));
      texts.push({ element, boxes: boxes.filter(({ width, height }) => width > 2 && height > 2) });
    }
    const controls = [...document.querySelectorAll('button, input, textarea, .clock')]
      .filter(isSeen)
      .map((element) => ({ element, boxes: [element.getBoundingClientRect()] }));
    const found: string[] = [];
    for (const [index, text] of texts.entries())
      for (const other of [...texts.slice(index + 1), ...controls])
        if (
          !other.element.contains(text.element) &&
          !text.element.contains(other.element) &&
          meet(text, other)
        )
          found.push(`${nameOf(text.element)} and ${nameOf(other.element)}`);
    return found;

    function isSeen(element: Element): boolean {
      // The short form of the URL covers its field, and what an overlay covers is out of reach.
      if (
        element.closest('.visually-hidden, .overlay, .url__short, .url__field, .new-version, .field__toggle')
      )
        return false;
      return (
        element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
        getComputedStyle(element).clipPath === 'none'
      );
    }

    function clipped(box: DOMRect, element: Element): DOMRect {
      let { left, top, right, bottom } = box;
      for (let part: Element | null = element; part !== null; part = part.parentElement) {
        if (getComputedStyle(part).overflowY === 'visible') continue;
        const frame = part.getBoundingClientRect();
        left = Math.max(left, frame.left);
        right = Math.min(right, frame.right);
        top = Math.max(top, frame.top);
        bottom = Math.min(bottom, frame.bottom);
      }
      // The boxes of lines overlap where the letters do not.
      const inset = box.height / 5;
      return new DOMRect(left, top + inset, right - left, bottom - top - 2 * inset);
    }

    function meet(one: { boxes: DOMRect[] }, other: { boxes: DOMRect[] }): boolean {
      return one.boxes.some((a) =>
        other.boxes.some(
          (b) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2,
        ),
      );
    }

    function nameOf(element: Element): string {
      return `${element.className || element.tagName} “${(element.textContent ?? '').slice(0, 40)}”`;
    }
  });
}
