import type { MouseEvent, ReactNode } from 'react';
import { formatAddress } from '../address.ts';
import { goTo } from '../use-address.ts';

interface LinkProps {
  readonly page: string;
  readonly row?: number | undefined;
  readonly params?: URLSearchParams | undefined;
  readonly className?: string;
  readonly title?: string;
  readonly current?: boolean;
  readonly children: ReactNode;
}

/** A link to a view of the app. */
export function Link({
  page,
  row,
  params = new URLSearchParams(),
  className,
  title,
  current,
  children,
}: LinkProps): ReactNode {
  const address = { page, params, ...(row === undefined ? {} : { row }) };
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(address);
  };
  return (
    <a
      href={formatAddress(address)}
      onClick={onClick}
      className={className}
      title={title}
      aria-current={current ? 'page' : undefined}
    >
      {children}
    </a>
  );
}
