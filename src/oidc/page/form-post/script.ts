import { get } from '../../../ui/browser/lib/dom.ts';

// A browser that comes back by its history has sent the form before.
const navigation = performance.getEntriesByType('navigation')[0];
const isBack = navigation instanceof PerformanceNavigationTiming && navigation.type === 'back_forward';
if (!isBack) get('answer', HTMLFormElement).submit();
