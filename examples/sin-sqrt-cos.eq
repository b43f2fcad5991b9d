# A nest of elementary functions; the solution has a branch point at t = pi/2.
# Veigend, PhD thesis (Brno 2023), sec. 3.4.3 (3.26); start value and end time are chosen here.

y' = sin(sqrt(cos(t)))

init y = 0
run 0 .. 1.5
