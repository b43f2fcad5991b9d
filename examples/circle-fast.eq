# Circle test with 100 rad/s: about 796 turns, so that errors of phase and radius show.
# Veigend, PhD thesis (Brno 2023), sec. 3.5.1 (3.31), Table 3.7.
param omega = 100 [rad/s]

y' =  omega*z
z' = -omega*y

init y = 0, z = 1
output r     = sqrt(y^2 + z^2)
output error = y - sin(omega*t)
run 0 .. 50
