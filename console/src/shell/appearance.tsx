import { type ReactNode } from 'react';
import { chooseTimeForm, TIME_FORMS, type TimeForm, useTimeForm } from '../api/time-form.js';
import { SelectField } from '../ui/field.js';
import { chooseTheme, THEMES, type Theme, useTheme } from './theme.js';

const THEME_TEXTS: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

const TIME_TEXTS: Readonly<Record<TimeForm, string>> = {
  relative: 'Ago, such as 4 min ago',
  absolute: 'Date and hour',
};

/** How this browser shows the console: its colours, and its times. */
export function Appearance(): ReactNode {
  const theme = useTheme();
  const times = useTimeForm();
  return (
    <>
      <SelectField
        label="Theme"
        value={theme}
        options={THEMES.map((one) => [one, THEME_TEXTS[one]] as const)}
        onChange={(event) => chooseTheme(event.target.value as Theme)}
      />
      <SelectField
        label="Times"
        value={times}
        options={TIME_FORMS.map((one) => [one, TIME_TEXTS[one]] as const)}
        onChange={(event) => chooseTimeForm(event.target.value as TimeForm)}
      />
    </>
  );
}
