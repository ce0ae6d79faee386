// Package window says when a migration's maintenance windows are open, and whether a
// block of steps may begin in one. A window decides about beginnings alone: what has
// begun in one is never cut.
//
// It is arithmetic on plain values. It takes no client, reads no clock (now comes in)
// and knows nothing of clusters, blocks or objects. It reads time zones as the time
// package finds them; the program that runs in an image without any has them embedded
// by cmd/awsmigrate.
//
// # Schedules
//
// A schedule is the five fields of cron, read by the library that reads those of
// Kubernetes' CronJob (robfig/cron/v3): minute, hour, day of month, month (1-12 or
// jan-dec), day of week (0-6 or sun-sat; 7 is refused, as there). A field is * or ?, a
// number, a range, each with a step, or a list of them; N/step is N-max/step. If both
// the day of month and the day of week are restricted, either is enough (POSIX
// crontab). Refused is
//   - what is no five fields: @daily and the like, @every, seconds, a zone in front (TZ=);
//   - a day field that has a star and something more (*/2, or *,5) beside another day
//     field that is restricted: Vixie's cron and this library disagree whether both have
//     to agree (robfig/cron:spec.go@v3.0.1 dayMatches), and a window on the wrong day is
//     worse than none;
//   - what the library reads leniently and means nothing elsewhere: 1,,2 or *-5 or +5;
//   - what begins no window in an ordinary year: 30 February, and 29 February alone.
//
// # Clocks that change
//
// A window begins in each minute whose reading of the wall clock in its zone the
// schedule names, and is open for its duration of elapsed time: an instant t is inside
// if begin <= t < begin + duration. Hence
//   - in spring, a schedule that names a time of the lost hour begins no window on that
//     day, as a CronJob starts no Job (robfig/cron#541);
//   - in autumn, one that names a time of the repeated hour begins two windows, an hour
//     of elapsed time apart, as a CronJob starts two Jobs (kubernetes/kubernetes#121594).
//     Where the duration is at least that hour they merge into one, which ends at the
//     reading of the clock at which it ends on other days;
//   - a window that is open while clocks change ends at another reading than on other
//     days; and one of 24h each day is shut for the 25th hour of that day in autumn.
//
// The library's own arithmetic is not used across a change: where clocks move by half an
// hour (Australia/Lord_Howe) it loses times that exist, because it adds whole hours
// (robfig/cron:spec.go@v3.0.1 Next). It is asked between two changes only, and never
// sees a zone.
//
// # Windows that meet
//
// Windows that overlap or touch are one stretch, across midnight, schedules and zones.
// What is open, when it closes and what fits is said of stretches.
package window
