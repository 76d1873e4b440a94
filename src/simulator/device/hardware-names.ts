/*
 * Names of hardware that a board lists in `board.hwinfo`, whether it has it or not, as recorded: RUTX50 on 7.17, RUT241 and
 * TRB500 on 7.20, TRB140 on 7.21, RUT950 on 7.06. Other families of a generation have the common part (chosen).
 */

const list = (names: string): readonly string[] => names.trim().split(/\s+/);

/** What all boards of the recordings since 7.17 list. */
const COMMON = list(`
  2_5_gigabit_port 64mb_ram access_point at_sim bacnet baseband basic_router bluetooth boot_part bpoffload bt console
  consumer_access_point dot1x_client downstream_kernel dsa dual_band_ssid dual_modem dual_sim esim ethernet gateway
  gigabit_port gps guest_wifi hi_storage high_watchdog_priority hnat hw_nat hw_offload industrial_access_point io ios
  ledman_lite mbus micro_usb mobile modbus modem_reset_quirk mt7981_wifi multi_device nat_offloading ncm ntrip poe
  port_link port_mirror power_ios pppmobile qrtrpipes reset_button rndis rootfs_part rs232 rs485 sd_card serial
  serial_reset_quirk sfp_port single_port smp soft_port_mirror sw_offload testing_kernel tlt_failsafe_boot tpm usb
  usb_port vendor_wifi verified_boot wifi wps xfrm-offload
`);

/** What RUT950 lists, the oldest one. */
const OLDEST = list(`
  2_5_gigabit_port at_sim bluetooth console dsa dual_band_ssid dual_modem dual_sim ethernet gigabit_port gps hw_nat ios
  micro_usb mobile multi_tag nat_offloading poe port_link rs232 rs485 sd_card sfp_port sfp_switch soft_port_mirror
  sw_rst_on_init usb vcert wifi wps
`);

/** What one family lists beside the common part. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  RUTX50: list('multi_tag'),
  RUT241: list('128mb_ram dot1x-client dot1x-server esim-p small_flash stm_can'),
  TRB140: list('128mb_ram dot1x-server no-wired-wan stm_can user_led'),
  TRB500: list('stm_can'),
};

/** The names of a board, with those that it has. */
export function hardwareOf(model: string, present: readonly string[]): Record<string, boolean> {
  const names = model === 'RUT950' ? OLDEST : [...COMMON, ...(OWN[model] ?? [])];
  const all = [...new Set([...names, ...present])].toSorted();
  return Object.fromEntries(all.map((name) => [name, present.includes(name)]));
}
