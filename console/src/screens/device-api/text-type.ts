/** Whether an answer of a device with this content type is shown as text. Pure. */
export function isTextType(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]!.toLowerCase();
  return /json|text|xml/.test(type) || type === '';
}
