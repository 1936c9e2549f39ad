import type { ColumnInfo } from '../../api/columns.ts';
import type { RequestOf } from '../../api/requests.ts';
import type { RowReview } from '../../api/reviews.ts';
import type { DataSource } from '../data/data-source.ts';
import { messageOf } from '../data/use-data.ts';
import { formatCount, pluralize } from '../format.ts';
import { type EditTexts, editsOf, textsOf } from './edit-texts.ts';

/** A verdict that a key or a button gives. */
export type Decision = 'accept' | 'reject';

/** A review as a reviewer fills it in, before it is stored. */
export interface ReviewDraft {
  /** The hash of the row that the reviewer sees; null where the record came without one. */
  readonly hash: string | null;
  readonly rating: number | null;
  readonly comment: string;
  readonly texts: EditTexts;
  /** The values of the row for the texts that were begun: a text that equals its value is no edit. */
  readonly originals: EditTexts;
}

/** What a write does to the review of a row; absent parts stay as they are. */
interface ReviewChange {
  readonly verdict?: Decision | null;
  readonly draft?: ReviewDraft | undefined;
  /** Removes the review. */
  readonly isRemoval?: boolean;
}

type GivenReview = RequestOf<'review'>['review'];

interface StoreOptions {
  readonly source: DataSource;
  readonly dataset: string;
}

const WORDS = { accept: 'accepted', reject: 'rejected' } as const;

/**
 * The reviews of a dataset: those that are stored, those that are on their way, and drafts that are not saved. Writes go out
 * one after the other, each for the row that was named when it was asked for.
 */
export class ReviewStore {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  readonly #stored = new Map<number, RowReview>();
  readonly #drafts: Map<number, ReviewDraft>;
  /** The latest verdict of each row that is not stored yet. */
  readonly #coming = new Map<number, Decision | null>();
  /** Drafts on their way, which the forms still show. */
  readonly #saving = new Map<number, ReviewDraft>();
  readonly #failures = new Map<number, string>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isLoaded = false;
  #changes = 0;
  #said = '';
  /** The row that the outcome is about; undefined for several. */
  #saidOf: number | undefined;
  #columns: readonly ColumnInfo[] = [];

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#drafts = new Map(storedDrafts(this.#draftsKey));
  }

  /** Tells the columns, whose types decide how a text is read. */
  setColumns(columns: readonly ColumnInfo[]): void {
    this.#columns = columns;
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A number that differs after each change. */
  readonly changes = (): number => this.#changes;

  /** The stored reviews by row. */
  get byRow(): ReadonlyMap<number, RowReview> {
    return this.#stored;
  }

  /** The outcome of the last change, in words. */
  get said(): string {
    return this.#waiting > 0 ? `Saving ${pluralize(this.#waiting, 'change')}…` : this.#said;
  }

  /** Drops the outcome of a change of another row. */
  forgetOthers(row: number): void {
    if (this.#said !== '' && this.#saidOf !== row) this.#say('');
  }

  /** Why rows are not saved, by row. */
  get failures(): ReadonlyMap<number, string> {
    return this.#failures;
  }

  /** Whether closing the page would lose something. */
  get isUnsaved(): boolean {
    return this.#waiting > 0 || [...this.#drafts.keys()].some((row) => this.isChanged(row));
  }

  /** Whether the draft of a row says something that is not stored. */
  isChanged(row: number): boolean {
    return this.#changesOf(row).length > 0;
  }

  /** What the draft of a row changes, in words. */
  #changesOf(row: number): readonly string[] {
    const draft = this.#drafts.get(row);
    return draft ? describeChanges(this.#storedForm(row), { ...draft, texts: changedTexts(draft) }) : [];
  }

  /** The draft of a row, or what one begins with. */
  formOf(row: number, hash: string | null): ReviewDraft {
    const { hash: seen, ...form } = this.#drafts.get(row) ??
      this.#saving.get(row) ?? {
        ...this.#storedForm(row),
        hash,
      };
    // A draft that was begun before the record arrived goes on with the row that the reviewer sees now.
    return { ...form, hash: seen ?? hash };
  }

  #storedForm(row: number): Omit<ReviewDraft, 'hash'> {
    const { rating = null, comment, edits = null } = this.#stored.get(row) ?? {};
    return { rating, comment: comment ?? '', texts: textsOf(edits), originals: {} };
  }

  /** The verdict of a row, also before it is stored. */
  verdictOf(row: number): RowReview['verdict'] {
    return this.#coming.get(row) ?? this.#stored.get(row)?.verdict ?? null;
  }

  /** Whether the review of a row has new values that still apply. */
  isEdited(row: number): boolean {
    const review = this.#stored.get(row);
    return review !== undefined && review.edits !== null && !review.isStale;
  }

  /** The number of rows with a review, those on their way included. */
  get reviewedRows(): number {
    const coming = [...this.#coming].filter(([row, verdict]) => verdict !== null && !this.#stored.has(row));
    return this.#stored.size + coming.length;
  }

  /** Reads the reviews of the dataset again, after all writes. */
  load(): void {
    const reading = this.#last
      .then(() => this.#read())
      .then(
        () => this.#tell(),
        (error: unknown) => this.#say(messageOf(error)),
      );
    this.#last = reading;
  }

  /** Keeps a draft. */
  change(row: number, draft: ReviewDraft): void {
    this.#drafts.set(row, draft);
    this.#failures.delete(row);
    this.#tell();
  }

  /** Gives rows a verdict, which a second time changes nothing. Drafts of the rows are saved with it. */
  decide(rows: readonly number[], verdict: Decision): void {
    if (rows.length === 0) return this.#say('Not reviewed: the row is still loading.');
    this.#said = '';
    const [only] = rows.length === 1 ? rows : [];
    const which = only === undefined ? pluralize(rows.length, 'row') : `Row ${formatCount(only)}`;
    const done = [WORDS[verdict], ...(only === undefined ? [] : this.#changesOf(only))].join(', ');
    const writes = rows.map((row) => this.#begin(row, { verdict, draft: this.#drafts.get(row) }));
    void Promise.all(writes).then((saved) => {
      if (!saved.includes(false)) this.#say(`${which}: ${done}.`, only);
    });
  }

  /** Saves the drafts of a row, or of all rows. */
  save(row?: number): void {
    for (const [at, draft] of this.#drafts) {
      if ((row ?? at) !== at) continue;
      if (!this.isChanged(at)) {
        this.discard(at);
        continue;
      }
      this.#said = '';
      const done = this.#changesOf(at).join(', ');
      void this.#begin(at, { draft }).then((isSaved) => isSaved && this.#say(`Row ${formatCount(at)}: ${done}.`, at));
    }
  }

  /** Drops the draft of a row. */
  discard(row: number): void {
    this.#drafts.delete(row);
    this.#failures.delete(row);
    this.#tell();
  }

  /** Removes the review of a row, or only its verdict. */
  remove(row: number, { onlyVerdict = false } = {}): void {
    this.#said = '';
    if (!onlyVerdict) this.#drafts.delete(row);
    const change = onlyVerdict ? { verdict: null, draft: this.#drafts.get(row) } : { isRemoval: true };
    void this.#begin(row, change).then((isSaved) => isSaved && this.#say(`Row ${formatCount(row)}: removed.`, row));
  }

  /** Queues a write; tells whether it is stored. */
  async #begin(row: number, change: ReviewChange): Promise<boolean> {
    const { verdict, draft } = change;
    const { source, dataset } = this.#options;
    // The row as it is when the verdict is given.
    const hash = draft?.hash ?? source.ask('row-hash', { dataset, index: row }).then((found) => found.hash);
    if (verdict !== undefined) this.#coming.set(row, verdict);
    if (draft) {
      this.#drafts.delete(row);
      this.#saving.set(row, draft);
    }
    this.#failures.delete(row);
    this.#tell();
    try {
      await this.#queue(async () => this.#write({ row, hash: await hash }, change));
      return true;
    } catch (error) {
      // A draft that was begun meanwhile has what this one had.
      if (draft && !this.#drafts.has(row)) this.#drafts.set(row, draft);
      this.#failures.set(row, messageOf(error));
      return false;
    } finally {
      if (verdict !== undefined && this.#coming.get(row) === verdict) this.#coming.delete(row);
      if (draft && this.#saving.get(row) === draft) this.#saving.delete(row);
      this.#tell();
    }
  }

  async #write(place: Pick<GivenReview, 'row' | 'hash'>, change: ReviewChange): Promise<void> {
    const { source, dataset } = this.#options;
    const { row } = place;
    if (!this.#isLoaded) await this.#read();
    const before = this.#stored.get(row);
    const edits = change.draft && editsOf(changedTexts(change.draft), this.#columns);
    const review = mergedReview(place, before, { ...change, edits });
    const written = await source.ask('review', { dataset, review });
    if (isEmpty(written)) this.#stored.delete(row);
    else this.#stored.set(row, written);
  }

  async #read(): Promise<void> {
    const { source, dataset } = this.#options;
    const { reviews } = await source.ask('reviews', { dataset });
    this.#stored.clear();
    for (const review of reviews) if (!isEmpty(review)) this.#stored.set(review.row, review);
    this.#isLoaded = true;
  }

  #queue(work: () => Promise<void>): Promise<void> {
    this.#waiting++;
    const done = this.#last.then(work).finally(() => {
      this.#waiting--;
      this.#tell();
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  #say(text: string, row?: number): void {
    this.#said = text;
    this.#saidOf = row;
    this.#tell();
  }

  #tell(): void {
    this.#changes++;
    try {
      // A page that is loaded again has the drafts of before.
      sessionStorage.setItem(this.#draftsKey, JSON.stringify([...this.#drafts]));
    } catch {
      // A browser that stores no more keeps them in the page.
    }
    for (const listener of this.#listeners) listener();
  }

  get #draftsKey(): string {
    return `review drafts of ${this.#options.dataset}`;
  }
}

function storedDrafts(key: string): readonly (readonly [number, ReviewDraft])[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]');
  } catch {
    return [];
  }
}

function changedTexts({ texts, originals }: ReviewDraft): EditTexts {
  return Object.fromEntries(Object.entries(texts).filter(([name, text]) => originals[name] !== text));
}

type Content = Pick<ReviewDraft, 'rating' | 'comment' | 'texts'>;

/** What differs between two contents of a review, in words: `rated 5`, `comment saved`. */
export function describeChanges(before: Content, after: Content): readonly string[] {
  const rated = after.rating === null ? 'rating removed' : `rated ${after.rating}`;
  const commented = after.comment.trim() === '' ? 'comment removed' : 'comment saved';
  const edited = Object.keys(after.texts).length === 0 ? 'edits removed' : 'edits saved';
  return [
    ...(after.rating === before.rating ? [] : [rated]),
    ...(after.comment.trim() === before.comment.trim() ? [] : [commented]),
    ...(JSON.stringify(after.texts) === JSON.stringify(before.texts) ? [] : [edited]),
  ];
}

/** Whether a review says nothing. */
function isEmpty({ verdict, rating, comment, edits }: RowReview): boolean {
  return verdict === null && rating === null && comment === null && edits === null;
}

/** The review that a change makes of an earlier one. A verdict keeps new values, and new values keep the verdict. */
export function mergedReview(
  place: Pick<GivenReview, 'row' | 'hash'>,
  before: RowReview | undefined,
  { verdict, draft, edits: given, isRemoval }: ReviewChange & { readonly edits?: GivenReview['edits'] | undefined },
): GivenReview {
  if (isRemoval) return { ...place, verdict: null, rating: null, comment: null, edits: null };
  const rating = draft ? draft.rating : (before?.rating ?? null);
  const comment = (draft ? draft.comment : (before?.comment ?? '')).trim() || null;
  // A row that changed after its review has no use for the new values of that.
  const known = before && !before.isStale ? before : undefined;
  const edits = (draft ? given : (known?.edits as GivenReview['edits'])) ?? null;
  const stays = known?.verdict === 'edit' ? 'accept' : (known?.verdict ?? null);
  const decided = verdict === undefined ? stays : verdict;
  return { ...place, verdict: decided === 'accept' && edits !== null ? 'edit' : decided, rating, comment, edits };
}
