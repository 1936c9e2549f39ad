/** How a page of records looks. */
export interface PageOptions {
  readonly title: string;
  /** As the reader's system says unless given. */
  readonly theme?: 'dark' | 'light' | undefined;
}
