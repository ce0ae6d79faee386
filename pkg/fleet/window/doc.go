// Package window computes when a migration's maintenance windows are open, and whether a
// block of steps may begin in one. A window only decides about beginnings: a block in progress is
// never interrupted.
//
// The package is arithmetic on plain values. It takes no client, reads no clock (callers pass
// now), and knows nothing about clusters, blocks or objects. Package time finds the time zones;
// cmd/awsmigrate embeds them for images without zone data.
//
// # Schedules
//
// A schedule has the five fields of cron: minute, hour, day of month, month (1-12 or jan-dec),
// day of week (0-6 or sun-sat). The library of Kubernetes' CronJob reads it (robfig/cron/v3), and
// refuses 7 as a day of week. A field is * or ?, a number, a range, each with a step, or a list of
// them; N/step means N-max/step. If both the day of month and the day of week are restricted, one
// match is enough (POSIX crontab). Parse refuses
//   - a schedule without five fields: @daily, @every, seconds, or a leading zone (TZ=);
//   - a day field with a star and something more (*/2, or *,5) if the other day field is
//     restricted. Vixie's cron and this library disagree whether both must match
//     (robfig/cron:spec.go@v3.0.1 dayMatches), and a wrong day is worse than no window;
//   - syntax that only this library accepts: 1,,2 or *-5 or +5;
//   - a schedule without a day in an ordinary year: 30 February, and 29 February alone.
//
// # Clocks that change
//
// A window begins in each minute for which the wall clock of its zone matches the schedule. It is
// open for its duration of elapsed time: an instant t is inside if begin <= t < begin + duration.
// This has three consequences:
//   - in spring, a schedule in the lost hour begins no window on that day, as a CronJob starts no
//     Job (robfig/cron#541);
//   - in autumn, a schedule in the repeated hour begins two windows, one hour of elapsed time
//     apart, as a CronJob starts two Jobs (kubernetes/kubernetes#121594). If the duration is at
//     least one hour, they merge into one window that ends at the usual wall-clock time;
//   - a window that is open during a clock change ends at an unusual wall-clock time. A daily
//     window of 24h is closed for the 25th hour of the day in autumn.
//
// The library never computes across a clock change, and never receives a zone. Where clocks move
// by half an hour (Australia/Lord_Howe) it would lose times, because it adds whole hours
// (robfig/cron:spec.go@v3.0.1 Next).
//
// # Adjacent windows
//
// Windows that overlap or touch form one interval, across midnight, schedules and zones. Opening,
// closing and fitting refer to these intervals.
package window
