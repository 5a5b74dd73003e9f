import type { ComponentProps } from 'preact/compat';

interface ButtonProps extends ComponentProps<'button'> {
  /** How much it asks for attention; `plain` unless told otherwise. */
  readonly look?: 'primary' | 'danger' | 'plain' | 'quiet' | 'quiet danger';
  /** Whether what it started is still under way. */
  readonly pending?: boolean;
}

/** A button. While it is pending it keeps the focus and does nothing. */
export function Button({ look = 'plain', pending = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look}`}
      aria-disabled={pending || undefined}
      onClick={(event) => (pending ? event.preventDefault() : onClick?.(event))}
    >
      {children}
    </button>
  );
}
