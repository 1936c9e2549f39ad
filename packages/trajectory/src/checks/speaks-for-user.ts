import { withoutCode } from '@data-designer/core';
import type { TrajectoryMessage } from '../read-messages.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

const USER =
  'User|USER|Human|HUMAN|Nutzer|Benutzer|Utilisateur|Usuario|Utente|Usuário|Gebruiker|Пользователь|用户|ユーザー|사용자';
const ASSISTANT =
  'Assistant|ASSISTANT|AI|Bot|Model|Assistent|Asistente|Assistente|Ассистент|助手|アシスタント|어시스턴트';

const MAY_SPEAK = new RegExp(`^[ \\t#*]*(?:${USER})[*]*[ \\t]*[:：]`, 'm');
const LABEL = new RegExp(`^[ \\t]*(?:#{1,4}[ \\t]*)?(?:\\*\\*)?(${USER})(?:\\*\\*)?[ \\t]*[:：](?:\\*\\*)?(.*)$`, 'gm');
const ASSISTANT_LABEL = new RegExp(`^[ \\t#*]*(?:${ASSISTANT})[*]*[ \\t]*[:：]`, 'm');
/** A line of a summary, such as `Status: open`. */
const SUMMARY_LINE = /^[ \t*-]*[\p{L}][\p{L}\p{N} /_-]{0,30}\**[:：]/u;

/** What people write of who ask for the turns of others. */
const ASKS_FOR_DIALOGUE =
  /\b(?:dialog(?:ue)?s?|conversations?|convos?|transcripts?|scripts?|interviews?|role-?plays?|few-shot|screenplay|chat logs?|multi-turn|exchanges?)\b|gespräch|unterhaltung|conversaci|diálogo|conversazion|dialogo|диалог|беседа|对话|会話|대화/i;

/** Answers that go on with a turn of the user. */
export const speaksForUser = {
  kind: 'speaks_for_user',
  description: "An answer that goes on with a turn of the user, such as 'User: …', although no dialogue is asked for.",
  flaw: 'speaksForUser',
  find({ messages, first }, report) {
    messages.slice(first).forEach(({ role, text }, index) => {
      if (role !== 'assistant' || !MAY_SPEAK.test(text)) return;
      if (speaks(withoutCode(text)) && !isDialogueAsked(messages, first + index)) {
        report(first + index, 'the assistant writes a turn of the user');
      }
    });
  },
} as const satisfies TrajectoryCheck;

function speaks(text: string): boolean {
  const ofExamples = new Set<string>();
  for (const { 0: label, 1: name = '', 2: said = '', index } of text.matchAll(LABEL)) {
    const before = text.slice(0, index).trimEnd();
    // An example or a list begins after a colon. Later labels of the same name belong to it.
    if (/[:：][*_]*$/.test(before)) ofExamples.add(name);
    if (ofExamples.has(name)) continue;
    const after = text.slice(index + label.length);
    if (ASSISTANT_LABEL.test(after)) return true;
    const isParagraph = before === '' || /\n[ \t]*\n[ \t]*$/.test(text.slice(0, index));
    const [next = ''] = after.trimStart().split('\n', 1);
    if (isParagraph && isUtterance(said || next) && !SUMMARY_LINE.test(said === '' ? '' : next)) return true;
  }
  return false;
}

/** Whether text is a sentence, in contrast to a name or a number. */
function isUtterance(text: string): boolean {
  return /\S\s+\S+\s+\S/.test(text.trim()) || /[?!？！。]\s*$/.test(text) || /\p{Script=Han}{6}/u.test(text);
}

/** What a system message says that asks for dialogues: one that speaks of its own conversation does not. */
const WRITES_DIALOGUES = /\b(?:write|writes|writing|generate|create|produce|compose|simulate)\b[^.\n]{0,80}/i;

/** Whether the last message of the user, or the system message, asks for turns of others. */
function isDialogueAsked(messages: readonly TrajectoryMessage[], index: number): boolean {
  const asked = messages.findLast(({ role }, at) => at < index && role === 'user')?.text ?? '';
  const [first] = messages;
  const [wanted = ''] = (first?.role === 'system' && WRITES_DIALOGUES.exec(first.text)) || [];
  return ASKS_FOR_DIALOGUE.test(asked) || ASKS_FOR_DIALOGUE.test(wanted);
}
