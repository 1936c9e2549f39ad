import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';

/** A file of a push. */
export interface HubPushFile {
  /** Its path on the Hub. */
  readonly path: string;
  /** Its size. */
  readonly bytes: number;
  /** Its path in the dataset folder; null for a file that the push writes anew. */
  readonly source: string | null;
  /** Whether this push sent its content; false if the Hub has it already, and in a dry run. */
  readonly uploaded: boolean;
}

/** A finished push, or the plan of one. */
export interface HubPush {
  /** The page of the dataset. */
  readonly url: string;
  /** `owner/name`. */
  readonly repoId: string;
  /** The branch. */
  readonly revision: string;
  /** The hash of the new commit; null if the Hub has all files already, and in a dry run. */
  readonly commit: string | null;
  /** All files of the dataset on the Hub that the push knows. */
  readonly files: readonly HubPushFile[];
  /** The reviews in the dataset folder that the push leaves out. */
  readonly reviewsLeftOut: number;
  /** Files of an earlier push that the commit deletes. */
  readonly deleted: readonly string[];
}

/** The options of a push. */
export interface PushToHubOptions {
  /** `owner/name`. The dataset is created if it does not exist. */
  readonly repoId: string;
  /** The text under the title of the dataset card; default: one sentence with the number of records. */
  readonly description?: string | undefined;
  /**
   * The name of the environment variable with the token, or the token itself. Default: `HF_TOKEN`, else the login of the
   * Hub's own tools.
   */
  readonly token?: string | undefined;
  /** Whether a new dataset is private; default false. A push refuses an existing public dataset. */
  readonly private?: boolean;
  /** Tags of the dataset card, in addition to `synthetic` and `datadesigner`. */
  readonly tags?: readonly string[];
  /** The branch; it is created if it does not exist. Default: `main`. */
  readonly revision?: string | undefined;
  /** The address of the Hub; default: the variable `HF_ENDPOINT`, else `https://huggingface.co`. */
  readonly endpoint?: string | undefined;
  /** Whether to upload the reviews of rows, which name their authors; default false. */
  readonly reviews?: boolean;
  /** Returns the files without sending a request; needs no token. Default false. */
  readonly dryRun?: boolean;
  /** Called after the upload of each large file. */
  readonly onUpload?: (file: HubPushFile) => void;
  /** Stops the push; the dataset on the Hub does not change, and uploaded files are kept. */
  readonly signal?: AbortSignal;
}

const { callback, flag, list, signal, text } = optionRule;
const RULES: OptionRules<PushToHubOptions> = {
  repoId: { ...text, required: true, remedy: "Use the name of the dataset, 'owner/name'." },
  description: text,
  token: { ...text, kind: 'a text', remedy: 'Use the name of an environment variable.' },
  private: flag,
  tags: { ...list, fits: (value) => Array.isArray(value) && value.every((tag) => typeof tag === 'string') },
  revision: text,
  endpoint: text,
  reviews: flag,
  dryRun: flag,
  onUpload: callback,
  signal,
};

/** Throws `config/invalid` for unknown and invalid options. */
export function checkPushOptions(options: PushToHubOptions): void {
  checkOptions(options, RULES, 'pushToHub()');
}
