import type { ComponentProps } from 'preact/compat';

interface ButtonProps extends ComponentProps<'button'> {
  /** How much the button stands out. Default: `plain`. */
  readonly look?: 'primary' | 'danger' | 'plain' | 'quiet' | 'quiet danger';
  /** Whether the action that it started is still running. */
  readonly pending?: boolean;
}

/** A button. While it is pending it keeps the focus and does nothing. */
export function Button({ look = 'plain', pending = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look}`}
      part={`button ${look}`}
      aria-disabled={pending || undefined}
      onClick={(event) => (pending ? event.preventDefault() : onClick?.(event))}
    >
      {children}
    </button>
  );
}
