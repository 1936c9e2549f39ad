/** The flaws with which an answer is used: a name, and its text after a number of answers. A new flaw is one line here. */
export const ANSWER_FLAWS = {
  /** Finish reason `length`. */
  cut: 'cut off at their token limit (finish_reason length)',
  /** Finish reason `content_filter` beside text. */
  filtered: 'cut off by a content filter (finish_reason content_filter)',
  /** Without text and without a tool call. */
  empty: 'empty',
  /** The JSON stood where a server keeps the reasoning. */
  reasoningJson:
    'without content, whose JSON was taken from the reasoning; start the server with the reasoning parser of the model, or without one',
  nonText: 'with content other than text',
  garbled: 'with bytes that are not UTF-8, or with half characters',
  /** The JSON was invalid; the value is a guess. */
  repaired: 'with invalid JSON that was repaired',
  /** A server that does not read the calls of its model. */
  toolCallText: 'with a tool call written as text; start the server with the tool-call parser of the model',
  /** A server that does not read the reasoning of its model. */
  thinkingText: 'with tags of reasoning in the text; start the server with the reasoning parser of the model',
  /** An endpoint that stops at the wrong token. */
  templateTokens: 'with tokens of a chat template in the text; set the stop tokens of the model at the server',
  /** A loop of text, the last turn once more, or a tool called again and again with the same result. */
  repeats: 'that repeat themselves or the turn before',
  /** It goes on with `User: …`. */
  speaksForUser: 'that speak for the user',
  /** The model called a name that it was not offered. */
  unofferedTool: 'with or after a call of a tool that was not offered',
  /** `\\frac` written as `\frac` in JSON is a form feed and `rac`. */
  lostBackslash: 'with a control character before a word, as JSON makes of a backslash that is not escaped',
  /** The last calls of a tool failed, and the model answered all the same. */
  failedTool: 'written after a tool call that failed and was not repeated with success',
  /** The model saw the first `max_result_chars` characters of a result. */
  cutTool: 'written after a tool result that was cut at max_result_chars',
  /** The model saw a note in place of an image, a sound or an item that cannot be read. */
  partTool: 'written after a tool result with items that the model was not shown',
  /** The model asked for more tool turns than `max_tool_call_turns`. */
  refusedTool: 'written after tool calls that were not run, because max_tool_call_turns was reached',
  /** Its type or size is not accepted, or the model reads text only; the model saw a note. */
  leftOutPicture: 'written without an image of a tool, which the model does not accept',
  /** JSON cannot carry half a character, and many servers refuse NUL. */
  mendedText: 'written after a request with NUL or half characters, in whose place U+FFFD was sent',
} as const satisfies Readonly<Record<string, string>>;

/** A flaw with which an answer is used. */
export type AnswerFlaw = keyof typeof ANSWER_FLAWS;

/** The number of used answers by flaw, as usage counts them. */
export type FlawCounts = Record<`${AnswerFlaw}Answers`, number>;

/** The names of all flaws. */
export const FLAW_NAMES = Object.keys(ANSWER_FLAWS) as readonly AnswerFlaw[];

/** Counts of zero. */
export function noFlaws(): FlawCounts {
  return Object.fromEntries(FLAW_NAMES.map((name) => [`${name}Answers`, 0])) as FlawCounts;
}

/** Notes a flaw of the answer that is being parsed; the same one counts once. */
export type NoteFlaw = (flaw: AnswerFlaw) => void;
