/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open?.() };
}
