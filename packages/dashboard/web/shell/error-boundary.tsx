import { Component, type ReactNode } from 'react';
import { ErrorMessage } from '../app/widgets/state-messages.tsx';

type ErrorBoundaryProps = { readonly children: ReactNode };

/**
 * Shows the error of a failed view in its place, so that the rest of the page works. React requires a class for this.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <ErrorMessage error={error} retry={() => this.setState({ error: null })} />;
  }
}
