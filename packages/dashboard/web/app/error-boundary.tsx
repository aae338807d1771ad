import { Component, type ReactNode } from 'react';
import { Trouble } from './widgets/notes.tsx';

type Props = { readonly children: ReactNode };

/** A view that fails says so in its own place, and the rest of the page goes on. React knows this only as a class. */
export class ErrorBoundary extends Component<Props, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Trouble error={error} retry={() => this.setState({ error: null })} />;
  }
}
