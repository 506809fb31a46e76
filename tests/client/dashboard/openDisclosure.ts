import { act, fireEvent, screen } from '@testing-library/react';

export async function openDisclosure(heading: string): Promise<HTMLDetailsElement> {
  const details = screen.getByText(heading).closest('details') as HTMLDetailsElement;
  details.open = true;
  await act(() => fireEvent(details, new Event('toggle')));
  return details;
}
