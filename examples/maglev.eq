# Magnetic levitation without control: the current decays and the ball falls.
# Veigend, PhD thesis (Brno 2023), sec. 6.4.1 (6.48), (6.53), Table 6.20; start values are chosen here.
param m  = 0.02 [kg],   g = 9.81  [m/s^2]
param R  = 0.95 [Ohm],  L = 0.277 [H]
param c1 = 2.48315632e-5 [N*m^2/A^2]
input u  = 0 [V]

F_m = c1*i^2/x^2 [N]                      # pull of the magnet; x is the distance below it
x'' = g - F_m/m
i'  = (u - R*i + 2*c1*i*x'/x^2)/L

init x = 0.009 [m], x' = 0 [m/s], i = 0.8 [A]
run 0 .. 2
