# DETEST B3: a non-linear chemical reaction.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.7.

y1' = -y1
y2' =  y1 - y2^2
y3' =       y2^2

init y1 = 1, y2 = 0, y3 = 0
output total = y1 + y2 + y3        # stays 1
run 0 .. 20
