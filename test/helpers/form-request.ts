/**
 * A form as a request, encoded beforehand: Node writes a form on while it is sent, and throws where
 * nobody can catch it when a service answers before its end.
 * @param headers further ones, as the key
 */
export async function formRequest(
  url: string,
  form: FormData,
  headers: Readonly<Record<string, string>>,
): Promise<Request> {
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type');
  if (contentType === null) throw new Error('a form must have a content type');
  return new Request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': contentType },
    body: await encoded.arrayBuffer(),
  });
}
