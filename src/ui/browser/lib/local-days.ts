const twoDigits = (number: number): string => String(number).padStart(2, '0');

const dayOf = (at: Date): string =>
  `${String(at.getFullYear()).padStart(4, '0')}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;

/** Returns the instant at which a day begins in the reader's time zone, in ISO 8601. Returns other text as it is. */
function toInstant(text: string): string {
  const at = new Date(`${text}T00:00`);
  return !Number.isNaN(at.getTime()) && dayOf(at) === text ? at.toISOString() : text;
}

/** Returns the day that begins at an instant in the reader's time zone. Returns other text as it is. */
function toDay(text: string): string {
  const day = dayOf(new Date(text));
  return text !== day && toInstant(day) === text ? day : text;
}

/**
 * Lets people enter days of their own time zone, in which the page shows its times. The form sends the instant at which the
 * day begins, because the service does not know the time zone.
 *
 * @param selector selects the fields of the form
 */
export function sendLocalDays(form: HTMLFormElement, selector: string): void {
  const fields = [...form.querySelectorAll<HTMLInputElement>(selector)];
  for (const field of fields) field.value = toDay(field.value);
  form.addEventListener('formdata', ({ formData }) => {
    for (const { name, value } of fields) if (value !== '') formData.set(name, toInstant(value.trim()));
  });
}
