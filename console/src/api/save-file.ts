/** Saves a stream as a file, by the downloads of the browser. It is in memory until it is complete. */
export async function saveFile(name: string, content: ReadableStream<Uint8Array>): Promise<void> {
  const address = URL.createObjectURL(await new Response(content).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
