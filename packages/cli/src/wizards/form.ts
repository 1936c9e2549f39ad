import type { HomeFile } from '@data-designer/config';
import { type EntryChange, printChange, saveEntry } from '../save-entry.ts';
import { type Asker, GoBack } from './asker.ts';
import { isInterruption, newName, printFailure } from './prompts.ts';

/** A question of a form; it reads the answers so far, and returns its own. */
export interface Question<Answers> {
  /** Names the answer, where the user chooses one to change. */
  readonly label: string;
  readonly isAsked?: (answers: Partial<Answers>) => boolean;
  readonly ask: (asker: Asker, answers: Partial<Answers>) => Promise<Partial<Answers>>;
  /** The answer as text, without secrets. */
  readonly show: (answers: Partial<Answers>) => string;
}

/** The question for the name of a new entry, which no other entry has. */
export function nameQuestion<Key extends string>(
  key: Key,
  { label, message, names }: { readonly label: string; readonly message: string; readonly names: readonly string[] },
): Question<Record<Key, string>> {
  return {
    label,
    ask: async (asker, { [key]: before }) => {
      const name = await asker.text({ message, before, validate: newName(names) });
      return { [key]: name } as Record<Key, string>;
    },
    show: ({ [key]: given = '' }) => given,
  };
}

/** The questions about one entry of a file of the home folder. */
export interface Form<Answers> {
  readonly file: HomeFile;
  readonly questions: readonly Question<Answers>[];
  readonly changeOf: (answers: Partial<Answers>) => EntryChange;
}

/** The answers, and whether every question has one. */
interface Filled<Answers> {
  readonly answers: Partial<Answers>;
  readonly isComplete: boolean;
}

/**
 * Asks the questions of a form, tests the connection and saves the entry. Esc goes back to the question before; earlier
 * answers stay. Returns the answers if the user leaves the form, and undefined once they are saved or discarded.
 */
export async function fillForm<Answers>(
  asker: Asker,
  form: Form<Answers>,
  start: Partial<Answers>,
): Promise<Partial<Answers> | undefined> {
  process.stdout.write('Enter accepts an answer, Esc goes back to the question before.\n');
  let filled = await askQuestions(asker, form.questions, start);
  while (filled.isComplete) {
    const { answers } = filled;
    const next = await save(asker, form, answers);
    if (next === 'saved' || next === 'discard') return undefined;
    if (next === 'change') filled = await askOneAgain(asker, form, answers);
  }
  return filled.answers;
}

/** Asks questions in order; Esc at the first one leaves. */
async function askQuestions<Answers>(
  asker: Asker,
  questions: readonly Question<Answers>[],
  start: Partial<Answers>,
): Promise<Filled<Answers>> {
  let answers = start;
  const asked: number[] = [];
  for (let index = 0; index < questions.length;) {
    const question = questions[index];
    if (!question || question.isAsked?.(answers) === false) {
      index++;
      continue;
    }
    const given = await orBack(question.ask(asker, answers));
    if (given) {
      answers = { ...answers, ...given };
      asked.push(index++);
    } else {
      const before = asked.pop();
      if (before === undefined) return { answers, isComplete: false };
      index = before;
    }
  }
  return { answers, isComplete: true };
}

/** The result of a question; undefined if the user goes back. */
async function orBack<Result>(question: Promise<Result>): Promise<Result | undefined> {
  try {
    return await question;
  } catch (thrown) {
    if (thrown instanceof GoBack) return undefined;
    throw thrown;
  }
}

/** What follows a test: `again` repeats it with the same answers. */
type Next = 'saved' | 'again' | 'change' | 'discard';

/** Tests and saves the entry; if that fails, the user decides what follows, and no answer is lost. */
async function save<Answers>(
  asker: Asker,
  { file, changeOf }: Form<Answers>,
  answers: Partial<Answers>,
): Promise<Next> {
  const saveIt = async (connect: boolean): Promise<Next | undefined> => {
    try {
      printChange(await saveEntry(file, changeOf(answers), { connect }), { json: false });
      return 'saved';
    } catch (thrown) {
      if (isInterruption(thrown)) throw thrown;
      printFailure(thrown);
      return undefined;
    }
  };
  const saved = await saveIt(true);
  if (saved) return saved;
  const choice = asker.select<Exclude<Next, 'saved'> | 'untested'>(
    'Your answers are kept. What would you like to do?',
    [
      { value: 'change', name: 'Change an answer' },
      { value: 'again', name: 'Test again' },
      { value: 'untested', name: 'Save without a test' },
      { value: 'discard', name: 'Discard the answers' },
    ],
  );
  const chosen = (await orBack(choice)) ?? 'change';
  return chosen === 'untested' ? ((await saveIt(false)) ?? 'change') : chosen;
}

/** Asks one question again, and those that its answer adds. */
async function askOneAgain<Answers>(
  asker: Asker,
  { questions }: Form<Answers>,
  answers: Partial<Answers>,
): Promise<Filled<Answers>> {
  const asked = questions.filter(({ isAsked }) => isAsked?.(answers) !== false);
  const choices = asked.map((question) => ({ value: question, name: `${question.label}: ${question.show(answers)}` }));
  const chosen = await orBack(asker.select('Which answer?', choices));
  const given = chosen && (await orBack(chosen.ask(asker, answers)));
  if (!given) return { answers, isComplete: true };
  const changed = { ...answers, ...given };
  const added = questions.filter((question) => question.isAsked?.(changed) === true && !asked.includes(question));
  const { answers: all } = await askQuestions(asker, added, changed);
  return { answers: all, isComplete: true };
}
