/** Opens a dialog and returns whether the person confirmed. Escape and a click on the backdrop cancel. */
export function confirmIn(dialog: HTMLDialogElement): Promise<boolean> {
  dialog.returnValue = 'cancel';
  dialog.showModal();
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === dialog) dialog.close('cancel');
  };
  dialog.addEventListener('click', onBackdrop);
  return new Promise((resolve) => {
    dialog.addEventListener(
      'close',
      () => {
        dialog.removeEventListener('click', onBackdrop);
        resolve(dialog.returnValue === 'confirm');
      },
      { once: true },
    );
  });
}
