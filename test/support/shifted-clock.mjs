// Loaded before a process of the service: its clock is so many milliseconds ahead as a file says, from the start on and
// after each SIGUSR2. `performance.now` goes on as it does where somebody sets a machine's clock.
import { readFileSync } from 'node:fs';

const TrueDate = Date;
let ahead = 0;

const read = () => {
  ahead = Number(readFileSync(process.env.CLOCK_AHEAD_FILE, 'utf8'));
};
read();
process.on('SIGUSR2', read);

class ShiftedDate extends TrueDate {
  constructor(...given) {
    if (given.length === 0) super(TrueDate.now() + ahead);
    else super(...given);
  }

  static now() {
    return TrueDate.now() + ahead;
  }
}
globalThis.Date = ShiftedDate;
