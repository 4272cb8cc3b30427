import { plainEnglish, type Reader } from '../../core/presenter/words';

/** A person at a terminal: English, with the clock of the machine. `now` is epoch milliseconds. */
export function terminalReader(now: number): Reader {
  return {
    now,
    timeOfDay: (at) => localTime(at).slice(11, 19),
    dayAndTime: (at) => localTime(at).slice(0, 16),
    t: plainEnglish,
  };
}

/** `YYYY-MM-DD HH:mm:ss` in the time zone of the machine. */
function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
