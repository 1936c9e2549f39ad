/** A sentence on two words or phrases. */
export type Sentence = (first: string, second: string) => string;

// The sentences fit words of either number, so none of their verbs has one of the words as its subject.
export const OPENINGS: readonly Sentence[] = [
  (first, second) => `A closer look at ${first} starts with ${second}.`,
  (first, second) => `When people ask about ${first}, they usually have ${second} in mind.`,
  (first) => `There are three things worth knowing about ${first}.`,
  (first, second) => `In short, ${first} and ${second} belong together.`,
  (first) => `Most accounts of ${first} begin with a simple example.`,
  (first, second) => `Few people hear of ${first} without a word on ${second}.`,
];

export const MIDDLES: readonly Sentence[] = [
  (first, second) => `The link between ${first} and ${second} is easy to overlook at first.`,
  (first) => `A practical way to learn about ${first} is to take small steps.`,
  (first, second) => `Several reports compare ${first} with ${second}, and the results are mixed.`,
  (first) => `Much depends on the way in which people see ${first}.`,
  (first, second) => `It helps to be clear about ${first} before turning to ${second}.`,
  (first) => `Early ideas about ${first} were wrong for reasons that are well understood today.`,
  (first, second) => `Without ${second}, there would be less to say about ${first}.`,
  (first, second) => `Schools often explain ${first} with the example of ${second}.`,
];

export const CLOSINGS: readonly Sentence[] = [
  (first) => `All in all, it pays to be patient with ${first}.`,
  (first, second) => `This is why people still connect ${first} with ${second}.`,
  (first) => `With that in mind, it is easier to judge what others say about ${first}.`,
  (first, second) => `A good next step is to read more about ${first} and ${second}.`,
  (first) => `There is more to say about ${first}, but this is a good start.`,
];

export const QUESTIONS: readonly Sentence[] = [
  (first, second) => `What do ${first} and ${second} have to do with each other?`,
  (first, second) => `Why do people connect ${first} with ${second}?`,
  (first) => `Which of these would you expect to read about ${first}?`,
  (first, second) => `Which of these comes up together with ${first} and ${second}?`,
];

export const REASONS: readonly Sentence[] = [
  (first, second) => `The text names ${first} and ${second}, and says little else.`,
  (first) => `The text stays with ${first} from beginning to end.`,
  (first, second) => `A reader who has never heard of ${second} learns something about ${first}.`,
  (first, second) => `The step from ${first} to ${second} could be explained in more detail.`,
  (first) => `The words on ${first} are short and plain.`,
];

/** The words of all these sentences, which say nothing about the subject of a text that has them. */
export const STOCK_WORDS: ReadonlySet<string> = new Set(
  [OPENINGS, MIDDLES, CLOSINGS, QUESTIONS, REASONS].flat().flatMap(
    (sentence) =>
      sentence('', '')
        .toLowerCase()
        .match(/\p{L}+/gu) ?? [],
  ),
);
