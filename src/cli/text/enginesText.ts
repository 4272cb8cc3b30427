import type { EngineReport } from '../../core/host/api';
import { engineRow, withoutEnginesText } from '../../core/presenter/engineRow';
import { plainLine } from '../../core/presenter/plainText';
import { plainEnglish } from '../../core/presenter/words';

/** That none is needed, then each engine in a line, with the details below it. No final newline. */
export function enginesText(reports: readonly EngineReport[]): string {
  const lines = reports.flatMap((report) => {
    const { label, description, detail } = engineRow(report, plainEnglish);
    const mark = report.trouble !== null ? '-' : report.login === 'yes' ? '+' : '?';
    return [
      `${mark} ${label}: ${plainLine(description, 200)}`,
      ...detail.split(' · ').map((part) => `    ${plainLine(part, 500)}`),
    ];
  });
  return [withoutEnginesText(plainEnglish), 'Engines', ...lines].join('\n');
}
