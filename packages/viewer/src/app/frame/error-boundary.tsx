import { Component, type ReactNode } from 'react';
import { messageOf } from '../data/use-data.ts';

interface BoundaryProps {
  readonly children: ReactNode;
}

/** Shows an error of a page in its place; the frame stays usable. */
export class ErrorBoundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <p className="notice error">This page failed: {messageOf(this.state.error)}</p>;
  }
}
