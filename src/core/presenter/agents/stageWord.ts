import type { MessageStage } from '../../protocol/actors/sessionSnapshot';
import type { Icon } from '../workerIcon';
import type { Translate } from '../words';

const WARNING = 'list.warningForeground';

const ICONS: Readonly<Record<MessageStage, Icon>> = {
  waiting: { name: 'clock', color: null },
  delivered: { name: 'check', color: null },
  acked: { name: 'check-all', color: null },
  expired: { name: 'watch', color: WARNING },
  undeliverable: { name: 'warning', color: WARNING },
};

/** The shape that tells how far a message has come. */
export function stageIcon(stage: MessageStage): Icon {
  return ICONS[stage];
}

/** How far a message has come, in a word. */
export function stageWord(stage: MessageStage, t: Translate): string {
  switch (stage) {
    case 'waiting':
      return t('waits');
    case 'delivered':
      return t('delivered');
    case 'acked':
      return t('handled');
    case 'expired':
      return t('expired');
    case 'undeliverable':
      return t('cannot be delivered');
  }
}
