# The DC motor with a digital controller as it is in reality: the encoder has steps and noise, the voltage is limited, and what
# is computed from one sample goes out with the next one (a computation delay of Ts).
# Veigend, PhD thesis (Brno 2023), sec. 6.1.4 and 5.5; the imperfections are chosen here.
param J = 0.01 [kg*m^2],    b = 0.1 [N*m*s]          # inertia, friction
param R = 1 [Ohm],          L = 0.5 [H]              # armature
param K_e = 0.01 [V*s/rad], K_T = 0.01 [N*m/A]       # back e.m.f., torque
param k1 = 12.99 [V*s/rad], k2 = -1 [V/A]            # feedback of omega and i
param kr = 13 [V*s/rad],    ki = 15 [V/rad]          # reference, integrator
param omega_r = 0.5 [rad/s]
param Ts = 0.02 [s],        u_max = 8 [V]
param q = 0.005 [rad/s],    sigma = 0.004 [rad/s]    # steps and noise of the speed
param bits = 10,            i_max = 10 [A]           # the converter of the current

J*omega' + b*omega = K_T*i
L*i'     + R*i     = u - K_e*omega

every Ts:
    omega_m = quantize(omega + noise(1, sigma), q)
    i_m     = quantize(saturate(i, i_max), 2*i_max/2^bits)
    u       = u_next                                 # all right-hand sides are values before the sample
    u_next  = saturate(-k1*omega_m - k2*i_m + ki*z + kr*omega_r, u_max)
    z       = z + Ts*(omega_r - omega_m)

init omega = 0 [rad/s], i = 0 [A], z = 0 [rad], u = 0 [V], u_next = 0 [V], omega_m = 0 [rad/s], i_m = 0 [A]
output e = omega_r - omega [rad/s]
run 0 .. 5
