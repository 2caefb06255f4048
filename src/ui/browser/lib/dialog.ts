/** Opens a dialog and returns whether the person confirmed. Escape and a click on the backdrop cancel. */
export function confirmIn(dialog: HTMLDialogElement): Promise<boolean> {
  dialog.returnValue = 'cancel';
  // Browsers report the end of a dialog a little later. If the dialog opens again before, this ends the earlier question.
  dialog.dispatchEvent(new Event('close'));
  dialog.showModal();
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === dialog) dialog.close('cancel');
  };
  dialog.addEventListener('click', onBackdrop);
  return new Promise((resolve) => {
    const onClose = () => {
      // The late report of an earlier end.
      if (dialog.open) return;
      dialog.removeEventListener('click', onBackdrop);
      dialog.removeEventListener('close', onClose);
      resolve(dialog.returnValue === 'confirm');
    };
    dialog.addEventListener('close', onClose);
  });
}
