import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { highlightNow, isGrammarLoaded, loadGrammar } from '../../highlight-code.ts';
import { visibleText } from '../visible-text.ts';

interface CodeProps {
  readonly code: string;
  readonly language: string;
}

/** Code with highlights: at once if the grammar of its language is loaded, else when it is. */
export function CodeBlock({ code, language }: CodeProps): ReactNode {
  const [, setLoaded] = useState('');
  const isLoaded = isGrammarLoaded(language);
  useEffect(() => {
    if (isLoaded) return undefined;
    let isCurrent = true;
    const draw = (): void => {
      if (isCurrent) setLoaded(language);
    };
    loadGrammar(language).then(draw, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [language, isLoaded]);
  const shown = visibleText(code);
  const tokens = useMemo(
    () => (isLoaded ? highlightNow(shown, language) : [{ text: shown, kind: '' as const }]),
    [shown, language, isLoaded],
  );
  return (
    <pre className="code" data-language={language}>
      {tokens.map(({ text, kind }, at) =>
        kind === '' ? (
          text
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- tokens have no other name and never move
          <span key={at} className={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
    </pre>
  );
}
