import { useEffect, useEffectEvent } from 'react';

/**
 * What keys do, by `KeyboardEvent.key`; `1` for the key of a digit and `Shift+1` for it with Shift or Alt, whatever they
 * write; `Ctrl+Enter` also in a field, and with the command key.
 */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** The keys that the help lists. */
export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ['j, k', 'next or previous row, record, or page of a list'],
  ['g, G', 'first or last row, record, or page of a list'],
  ['/', 'search the table'],
  ['Enter', 'open the selected row'],
  ['a, r', 'accept or reject the row or record, and go on to the next'],
  ['A, R', 'accept or reject, and stay'],
  ['Shift+1 to Shift+5', 'rate the record, with Alt as well; Shift+0: no rating'],
  ['u', 'remove the verdict of the record'],
  ['e', 'edit the last text of a model in the record'],
  ['Ctrl+Enter', 'save the review of the record'],
  ['x, space', 'mark the current row of the table'],
  ['c', 'in a record: write a comment; in the table: copy the row or the marked rows as JSON'],
  ['t', 'back to the table'],
  ['1 to 7', 'open a page'],
  ['0', 'the list of runs'],
  ['arrows, Page Up, Page Down, Home, End', 'move in the table; Ctrl+Home, Ctrl+End: first or last cell'],
  ['?', 'this list'],
  ['Esc', 'close, or leave a field'],
];

/** Inputs that take no letters. */
const BUTTONS = ['checkbox', 'radio', 'button', 'submit', 'reset'].map((type) => `[type=${type}]`).join(', ');

function isTyping(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches(`input:not(${BUTTONS}), textarea, select`))
  );
}

/** What Shift writes with each digit's key of an American keyboard. */
const SHIFTED = ')!@#$%^&*(';

/** The name of a key: for one in the row of digits its digit, and another sign that it writes only where no digit is bound. */
function nameOf(event: KeyboardEvent, keys: Keys): string | undefined {
  const { code, key, shiftKey, altKey } = event;
  // AltGr writes signs with the keys of digits.
  if (event.getModifierState('AltGraph')) return key;
  const [, digit] = /^Digit(\d)$/.exec(code) ?? /^(\d)$/.exec(key) ?? [];
  if (digit === undefined) return altKey ? undefined : key;
  // Drivers of browsers type such a sign without a word about Shift.
  const isShifted = shiftKey || altKey || key === SHIFTED[Number(digit)];
  const name = isShifted ? `Shift+${digit}` : digit;
  // On some keyboards the signs of other commands are in this row: `/` is Shift+7 on a German one.
  return Object.hasOwn(keys, name) || altKey || /^\d$/.test(key) ? name : key;
}

/** Arrow keys choose among the radio buttons of a group. */
function isChoosing({ key, target }: KeyboardEvent): boolean {
  return key.startsWith('Arrow') && target instanceof HTMLElement && target.matches('input[type=radio]');
}

/** Enter presses a button and follows a link. */
function isPressing({ key, target }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof HTMLElement && target.matches('button, a, summary');
}

/**
 * Binds keys while a component is on the page; keys typed into a field are left alone. With `isFrame` it takes the keys that
 * no other component has taken.
 */
export function useKeys(keys: Keys, { isFrame = false } = {}): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const isSave = (event.ctrlKey || event.metaKey) && event.key === 'Enter';
    if (!isSave && (event.ctrlKey || event.metaKey || isTyping(event.target) || isPressing(event))) return;
    if (isChoosing(event)) return;
    // They would act on what a dialog or a menu covers.
    if (document.querySelector('dialog[open], :popover-open') !== null) return;
    const name = isSave ? 'Ctrl+Enter' : nameOf(event, keys);
    const run = name !== undefined && Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (run === undefined) return;
    event.preventDefault();
    run(event);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    // An event reaches the document before the window.
    const target = isFrame ? globalThis : document;
    target.addEventListener('keydown', listener as EventListener);
    return () => target.removeEventListener('keydown', listener as EventListener);
  }, [isFrame]);
}

/** Has Escape leave each field of the page, after which keys are no text. Browsers would also empty a search field. */
export function useLeaveOnEscape(): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.key !== 'Escape' || event.isComposing || !isTyping(target)) return;
      // Escape closes a dialog or a menu with the fields in it.
      if (target.closest('dialog, [popover]') !== null) return;
      event.preventDefault();
      target.blur();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
