/** Browsers limit the height of an element to 17 to 33 million pixels. */
const MAX_HEIGHT = 8_000_000;
/** After this long without scrolling, the scroll bar moves to the place of the rows in view. */
const IDLE_MS = 150;

interface Sizes {
  readonly count: number;
  readonly rowHeight: number;
  readonly headHeight: number;
}

/**
 * Scrolls a table of any height in an element of limited height. A small scroll moves the rows by as many pixels; a jump of
 * the scroll bar moves them in proportion.
 */
export class RowScroll {
  #sizes: Sizes = { count: 0, rowHeight: 1, headHeight: 0 };
  #element: HTMLElement | undefined;
  #report: (offset: number, isScrolling: boolean) => void = () => undefined;
  /** The offset of the first row in view, in pixels of the whole table. */
  #offset = 0;
  /** The scroll position for which `#offset` was calculated. */
  #top = 0;

  /** Sets the number of rows and the heights. */
  resize(sizes: Sizes): void {
    this.#sizes = sizes;
  }

  /** The height of the body in the page. */
  get height(): number {
    return Math.min(this.#fullHeight, MAX_HEIGHT);
  }

  /** What to add to the start of a row for its place in the body. */
  get shift(): number {
    return this.#isScaled ? this.#top - this.#offset : 0;
  }

  /** The whole rows that fit below the head. */
  get pageRows(): number {
    return Math.max(1, Math.floor(this.#viewHeight / this.#sizes.rowHeight));
  }

  /** Follows the scroll position of an element; returns a function that ends it. */
  observe(element: HTMLElement, report: (offset: number, isScrolling: boolean) => void): () => void {
    this.#element = element;
    this.#report = report;
    let idle: ReturnType<typeof setTimeout> | undefined;
    const onScroll = (): void => {
      if (element.scrollTop !== this.#top) this.#follow(element.scrollTop);
      report(this.#offset, true);
      clearTimeout(idle);
      idle = setTimeout(() => this.#settle(), IDLE_MS);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    report(this.#offset, false);
    return () => {
      clearTimeout(idle);
      element.removeEventListener('scroll', onScroll);
    };
  }

  /** Shows the table from an offset. */
  scrollTo(offset: number): void {
    this.#offset = Math.max(0, Math.min(offset, this.#maxOffset));
    this.#settle();
  }

  /** Scrolls as little as needed to have a row in view. Returns whether that was needed to see any of it. */
  show(position: number): boolean {
    // The event of the last scroll may be on its way.
    const top = this.#element?.scrollTop ?? this.#top;
    if (top !== this.#top) this.#follow(top);
    const start = position * this.#sizes.rowHeight;
    const end = start + this.#sizes.rowHeight;
    const isHidden = end <= this.#offset || start >= this.#offset + this.#viewHeight;
    if (start < this.#offset) this.scrollTo(start);
    else if (end > this.#offset + this.#viewHeight) this.scrollTo(end - this.#viewHeight);
    return isHidden;
  }

  get #fullHeight(): number {
    return this.#sizes.count * this.#sizes.rowHeight;
  }

  get #isScaled(): boolean {
    return this.#fullHeight > MAX_HEIGHT;
  }

  get #viewHeight(): number {
    return Math.max(this.#sizes.rowHeight, (this.#element?.clientHeight ?? 0) - this.#sizes.headHeight);
  }

  get #maxOffset(): number {
    return Math.max(0, this.#fullHeight - this.#viewHeight);
  }

  get #maxTop(): number {
    return Math.max(0, this.height - this.#viewHeight);
  }

  #follow(top: number): void {
    const moved = top - this.#top;
    if (!this.#isScaled) this.#offset = top;
    else if (top <= 0) this.#offset = 0;
    else if (top >= this.#maxTop - 1) this.#offset = this.#maxOffset;
    else if (Math.abs(moved) > 2 * this.#viewHeight) this.#offset = (top / this.#maxTop) * this.#maxOffset;
    else this.#offset = Math.max(0, Math.min(this.#offset + moved, this.#maxOffset));
    this.#top = top;
  }

  /** Moves the scroll bar to the place of the offset. */
  #settle(): void {
    const top = this.#isScaled ? (this.#offset / Math.max(this.#maxOffset, 1)) * this.#maxTop : this.#offset;
    if (this.#element) {
      this.#element.scrollTop = top;
      // Browsers round the position.
      this.#top = this.#element.scrollTop;
      if (!this.#isScaled) this.#offset = this.#top;
    }
    this.#report(this.#offset, false);
  }
}
