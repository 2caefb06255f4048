import { get } from '../../../ui/browser/lib/dom.ts';

// If the user navigated back to this page, the form was already sent and must not be sent again.
const navigation = performance.getEntriesByType('navigation')[0];
const isBack = navigation instanceof PerformanceNavigationTiming && navigation.type === 'back_forward';
if (!isBack) get('answer', HTMLFormElement).submit();
