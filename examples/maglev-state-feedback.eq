# Magnetic levitation: state feedback with an integrator brings the ball from 12 mm to 9 mm.
# Veigend, PhD thesis (Brno 2023), sec. 6.4.3 (6.60)-(6.62); start values are chosen here.
param m  = 0.02 [kg],   g = 9.81  [m/s^2]
param R  = 0.95 [Ohm],  L = 0.277 [H]
param c1 = 2.48315632e-5 [N*m^2/A^2]
param k1 = -57.7 [V*s/m], k2 = -2762.6 [V/m], k3 = 25.8 [V/A], k5 = -2000 [V/m/s]
param x_r = 0.009 [m],  i_r = 0.8 [A]

u   = -k1*x' - k2*(x - x_r) - k3*(i - i_r) - k5*q [V]
F_m = c1*i^2/x^2 [N]                      # pull of the magnet; x is the distance below it

x'' = g - F_m/m
i'  = (u - R*i + 2*c1*i*x'/x^2)/L
q'  = x - x_r

init x = 0.012 [m], x' = 0 [m/s], i = 0.8 [A], q = 0 [m*s]
run 0 .. 2
