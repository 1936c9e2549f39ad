import { type ReactNode, useState } from 'react';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'data-designer-theme';

/** Applies the stored theme; the system's setting without one. */
export function applyTheme(): Theme {
  const theme = THEMES.find((name) => name === stored()) ?? 'system';
  if (theme !== 'system') document.documentElement.dataset['theme'] = theme;
  return theme;
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // A page opened from disk may have no storage.
  }
}

/** Switches between the system's theme, light and dark. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(applyTheme);
  const choose = (next: Theme): void => {
    if (next === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // The choice then lasts as long as the page.
    }
    setTheme(next);
  };
  return (
    <label className="theme">
      <span className="sr-only">Theme</span>
      <select
        value={theme}
        onChange={(event) => choose(THEMES.find((name) => name === event.target.value) ?? 'system')}
      >
        {THEMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
