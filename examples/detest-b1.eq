# DETEST B1: the growth of two conflicting populations.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.5.

y1' = 2*(y1 - y1*y2)
y2' =  -(y2 - y1*y2)

init y1 = 1, y2 = 3
output invariant = y1 - log(y1) + 2*(y2 - log(y2))
run 0 .. 20
