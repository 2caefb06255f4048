/** Opens a dialog and returns whether the person confirmed. Escape and a click on the backdrop cancel. */
export function confirmIn(dialog: HTMLDialogElement): Promise<boolean> {
  dialog.returnValue = 'cancel';
  // Browsers send the event `close` a little after a dialog has closed. If the dialog opens again before that event,
  // this event ends the earlier question.
  dialog.dispatchEvent(new Event('close'));
  dialog.showModal();
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === dialog) dialog.close('cancel');
  };
  dialog.addEventListener('click', onBackdrop);
  return new Promise((resolve) => {
    const onClose = () => {
      // This event comes late: it is about the earlier question.
      if (dialog.open) return;
      dialog.removeEventListener('click', onBackdrop);
      dialog.removeEventListener('close', onClose);
      resolve(dialog.returnValue === 'confirm');
    };
    dialog.addEventListener('close', onClose);
  });
}
