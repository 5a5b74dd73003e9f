/** What is watched: somebody who runs queries, and can be told to go. */
interface Watched {
  /** How many queries it has run. */
  readonly queries: number;
  /** Ends it for a reason, which it is told at whatever it does next. */
  expel(reason: unknown): void;
}

/** Expels a member that runs nothing for too long: it waits for something that is not the database, and all others for it. */
export class IdleWatch {
  readonly #idle: number;
  readonly #endOfTurn: (run: () => void) => void;
  #watched: Watched | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param idle how long a member may run nothing, in milliseconds */
  constructor(idle: number, endOfTurn: (run: () => void) => void) {
    this.#idle = idle;
    this.#endOfTurn = endOfTurn;
  }

  /** Watches a member from now on, in place of any other. */
  begin(member: Watched): void {
    const { queries } = member;
    this.end();
    this.#watched = member;
    // Where the whole process stood still, what the member waits for comes first: hence the end of the turn.
    const look = () => this.#endOfTurn(() => this.#look(member, queries));
    this.#timer = setTimeout(look, this.#idle).unref();
  }

  /** Watches nobody. */
  end(): void {
    clearTimeout(this.#timer);
    this.#watched = undefined;
  }

  #look(member: Watched, queries: number): void {
    if (this.#watched !== member) return;
    if (member.queries === queries) member.expel(new Error('The transaction stood idle for too long'));
    else this.begin(member);
  }
}
